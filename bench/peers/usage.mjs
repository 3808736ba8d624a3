/** Pages a second, CPU seconds and the largest memory of this process since `start`. */
export const start = () => ({ at: performance.now(), cpu: process.cpuUsage() });

export const stop = ({ at, cpu }, pages) => {
  const seconds = (performance.now() - at) / 1000;
  const used = process.cpuUsage(cpu);
  return {
    pages,
    seconds,
    perSecond: pages / seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    maxRssMb: process.resourceUsage().maxRSS / 1024,
  };
};
