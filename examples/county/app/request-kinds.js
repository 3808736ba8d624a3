// Makes one request of each kind that a page can make: /kinds/NAME for each NAME of settings.kinds.
void (async () => {
  const { other } = JSON.parse(document.getElementById("settings").textContent);
  const at = (name) => `/kinds/${name}`;
  const add = (tag, attributes) => document.body.append(library.element(tag, attributes));
  const quietly = (promise) => promise.catch(() => undefined);

  add("script", { src: at("script") });
  add("link", { rel: "stylesheet", href: at("style") });
  add("img", { src: at("image"), alt: "" });
  const face = new FontFace("County", `url(${at("font")})`);
  quietly(face.load());

  quietly(fetch(at("fetch")));
  const xhr = new XMLHttpRequest();
  xhr.open("GET", at("xhr"));
  xhr.send();
  const events = new EventSource(at("event-source"));
  events.addEventListener("error", () => events.close());
  navigator.sendBeacon(at("beacon"), "left");

  // Each of these runs a script of its own, which makes the request. A new window comes last: while it starts, Chromium may hold up the frames and
  // workers of its opener, for ever if they start at the same time.
  const frame = library.element("iframe", { src: `${other}/kinds-in/frame-fetch` });
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  self.workers = [
    new Worker("/kinds-script/worker-fetch"),
    new SharedWorker("/kinds-script/shared-worker-fetch"),
  ];
  await quietly(navigator.serviceWorker.register("/kinds-script/service-worker-fetch"));

  const form = library.element("form", { method: "post", action: at("form"), target: "form-target" });
  add("iframe", { name: "form-target" });
  document.body.append(form);
  form.submit();
  add("a", { href: at("download"), download: "", id: "download" });
  document.getElementById("download").click();

  const socket = new WebSocket(`ws://${location.host}${at("websocket")}`);
  socket.addEventListener("error", () => undefined);
  open("/kinds-in/popup-fetch", "_blank", "width=200,height=200");
})();
