import { TINY_PAGE } from "./site-pages.ts";

/** nginx for one folder of its own: loopback only, no access log, every temporary file inside the folder. */
export const nginxConf = (folder: string, port: number): string => `
worker_processes 2;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 120;
  keepalive_requests 10000000;
  open_file_cache max=12000 inactive=600s;
  open_file_cache_valid 600s;
  etag off;
  default_type "text/html; charset=utf-8";
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${folder};
    location ~ "^/parcel/[0-9]*([0-9]{4})$" { try_files /pages/$1 =404; }
    location /tiny/ { return 200 '${TINY_PAGE}'; }
  }
}
`;
