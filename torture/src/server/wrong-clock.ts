let skewMs = 0
let isInstalled = false

/** Sets the clock of this process wrong by `ms` milliseconds, as that of a machine would be. */
export function setClockWrongBy(ms: number): void {
  skewMs = ms
  if (!isInstalled) install(globalThis.Date)
  isInstalled = true
}

function install(real: DateConstructor): void {
  const readClock = real.now
  real.now = () => readClock() + skewMs
  globalThis.Date = new Proxy(real, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [real.now()] : values, newTarget),
  })
}
