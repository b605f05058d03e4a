/** Lets no commit wait for more appends. */
export class CommitDelay {
  noteAppend(): void {}

  noteCommit(): void {}

  leftMs(): number {
    return 0
  }
}
