/** Reads metrics, and returns the value of each one by its name and labels, as they stand in the text. */
export async function scrape(metricsUrl = ''): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(metricsUrl)).text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
