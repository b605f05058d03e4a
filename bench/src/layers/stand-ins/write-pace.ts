/** Leaves no gap between writes, however busy the process is. */
export class WritePace {
  readonly gapMs = (): number => 0
}
