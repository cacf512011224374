/** Timers that go off when a test says so, as far as tests of the shell use them. */
const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
};
const { setImmediate } = globalThis;

let now = 0;
const timers = new Set();

function timer(run, ms, every) {
  const made = { at: now + Math.max(1, ms), run, every, ref: () => made, unref: () => made };
  timers.add(made);
  return made;
}

const FAKE = {
  setTimeout: (run, ms = 1, ...args) => timer(() => run(...args), ms),
  setInterval: (run, ms = 1, ...args) => timer(() => run(...args), ms, Math.max(1, ms)),
  clearTimeout: (made) => void timers.delete(made),
  clearInterval: (made) => void timers.delete(made),
};

/** Sets off the next one that is due by then; whether there was one. */
function setOff(until) {
  const [next] = [...timers].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
  if (!next) return false;
  now = next.at;
  if (next.every === undefined) timers.delete(next);
  else next.at += next.every;
  next.run();
  return true;
}

export const clock = {
  useFakeTimers: () => void Object.assign(globalThis, FAKE),
  useRealTimers: () => {
    Object.assign(globalThis, REAL);
    timers.clear();
  },
  getTimerCount: () => timers.size,
  advanceTimersByTime: (ms) => {
    const until = now + ms;
    while (setOff(until));
    now = until;
  },
  advanceTimersByTimeAsync: async (ms) => {
    const until = now + ms;
    do await new Promise((resolve) => setImmediate(resolve));
    while (setOff(until));
    now = until;
  },
};
