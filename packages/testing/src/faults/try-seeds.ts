/** Calls `run` with every seed from `count` down to 1, `concurrency` of them at the same time. */
export async function trySeeds(
  count: number,
  { concurrency }: { readonly concurrency: number },
  run: (seed: number) => Promise<void>,
): Promise<void> {
  const seeds = Array.from({ length: count }, (_, index) => index + 1)
  const worker = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await run(seed)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
