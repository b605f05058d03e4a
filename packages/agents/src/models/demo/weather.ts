import { tool } from 'ai'
import { z } from 'zod'
import { type DemoCity, demoCities, skyInChinese } from './demo-cities.ts'

/** The output of the weather tool. */
export const weatherReport = z.object({
  city: z.string(),
  sky: z.string(),
  temperatureCelsius: z.number(),
  humidityPercent: z.number(),
  windKilometresPerHour: z.number(),
  source: z.literal('demo data'),
})

/** The output of the weather tool. */
export type WeatherReport = z.infer<typeof weatherReport>

/** Makes a weather tool that needs no network. Its numbers are invented, and every result says so. */
export const weatherTool = tool({
  title: 'Weather',
  description:
    'Returns the weather of one city: sky, temperature, humidity and wind. The numbers are invented demo data, ' +
    'so say so when you use them. Knows about twenty large cities, by English or Chinese name.',
  inputSchema: z.object({
    city: z.string().min(1).max(100).describe('The name of the city, for example "Paris" or "北京".'),
  }),
  execute: ({ city }): WeatherReport => reportFor(city),
})

/** Thrown for a city that the demo data does not have. */
export class UnknownCityError extends Error {
  readonly code = 'city-unknown'
  readonly city: string

  constructor(city: string) {
    const known = demoCities.slice(0, 3).map(each => `${each.name} (${each.chineseName})`)
    super(
      `There is no weather for "${city}". Try one of the known cities, such as ${known.join(', ')} or Paris.`,
    )
    this.name = 'UnknownCityError'
    this.city = city
  }
}

function reportFor(asked: string): WeatherReport {
  const found = demoCities.find(city => isNameOf(city, asked))
  if (found === undefined) throw new UnknownCityError(asked)
  const isChinese = /\p{Script=Han}/u.test(asked)
  return {
    city: isChinese ? found.chineseName : found.name,
    sky: isChinese ? skyInChinese[found.sky] : found.sky,
    temperatureCelsius: found.temperatureCelsius,
    humidityPercent: found.humidityPercent,
    windKilometresPerHour: found.windKilometresPerHour,
    source: 'demo data',
  }
}

function isNameOf(city: DemoCity, asked: string): boolean {
  // In "Paris, France" and "北京市", only the city matters.
  const name = plain(asked.split(/[,，]/, 1).join('')).replace(/市$/, '')
  return name === plain(city.name) || name === city.chineseName
}

/** Removes accents, case and outer spaces, so that "sao paulo" finds "São Paulo". */
function plain(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
