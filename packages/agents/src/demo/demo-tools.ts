import { tool } from 'ai'
import { z } from 'zod'
import { type ToolFactory, toolFactory } from '../run/tool-factory-registry.ts'

/** Returns the tools of the demo model. Their results are invented, so a real model must not have them. */
export function demoTools(): readonly ToolFactory[] {
  return [
    toolFactory('weather', weatherTool),
    toolFactory('send_report', sendReportTool, { needsApproval: true }),
  ]
}

const sendReportTool = tool({
  title: 'Send report',
  description: 'Pretends to send a report by mail, after a person has approved it. Nothing is really sent.',
  inputSchema: z.object({
    to: z.string().min(1).max(200).describe('Who shall get it.'),
    text: z.string().min(1).max(10_000).describe('What it says.'),
  }),
  execute: ({ to }) => ({ sent: true, to }),
})

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
    sky: (isChinese ? skyInChinese[found.sky] : undefined) ?? found.sky,
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

/** Returns a city that the weather tool knows, or what follows "in": then the tool says that it does not know it. */
export function cityIn(question: string): string | undefined {
  for (const { name, chineseName } of demoCities) {
    if (question.includes(chineseName)) return chineseName
    if (new RegExp(`\\b${name}\\b`, 'iu').test(question)) return name
  }
  return /\b(?:in|for)\s+(\p{Lu}[\p{L}'-]*(?:\s\p{Lu}[\p{L}'-]*)*)/u.exec(question)?.[1]
}

/** A city that the weather tool knows. */
interface DemoCity {
  readonly name: string
  readonly chineseName: string
  readonly sky: string
  readonly temperatureCelsius: number
  readonly humidityPercent: number
  readonly windKilometresPerHour: number
}

/** Invented weather of real cities. It is the same on every day, so that answers can be compared. */
export const demoCities: readonly DemoCity[] = [
  'Beijing, 北京, sunny, 19, 34, 12',
  'Shanghai, 上海, rainy, 22, 81, 16',
  'Guangzhou, 广州, stormy, 29, 88, 21',
  'Shenzhen, 深圳, partly cloudy, 28, 79, 18',
  'Chengdu, 成都, foggy, 17, 84, 5',
  'Hangzhou, 杭州, cloudy, 21, 72, 9',
  'Hong Kong, 香港, partly cloudy, 27, 76, 20',
  'Taipei, 台北, rainy, 25, 83, 14',
  'Tokyo, 东京, sunny, 20, 52, 13',
  'Seoul, 首尔, cloudy, 16, 58, 11',
  'Singapore, 新加坡, stormy, 31, 86, 10',
  'Mumbai, 孟买, partly cloudy, 32, 74, 15',
  'Sydney, 悉尼, sunny, 23, 48, 19',
  'Cairo, 开罗, sunny, 33, 22, 17',
  'Nairobi, 内罗毕, partly cloudy, 24, 55, 12',
  'London, 伦敦, rainy, 13, 78, 22',
  'Lisbon, 里斯本, sunny, 21, 58, 17',
  'Paris, 巴黎, cloudy, 15, 66, 14',
  'Berlin, 柏林, partly cloudy, 14, 61, 18',
  'Reykjavik, 雷克雅未克, snowy, -2, 70, 31',
  'New York, 纽约, sunny, 18, 45, 24',
  'San Francisco, 旧金山, foggy, 14, 82, 19',
  'São Paulo, 圣保罗, stormy, 26, 77, 13',
].map(row => {
  const [name = '', chineseName = '', sky = '', celsius, humidity, wind] = row.split(', ')
  return {
    name,
    chineseName,
    sky,
    temperatureCelsius: Number(celsius),
    humidityPercent: Number(humidity),
    windKilometresPerHour: Number(wind),
  }
})

const skyInChinese: Readonly<Record<string, string>> = {
  sunny: '晴',
  'partly cloudy': '多云',
  cloudy: '阴',
  foggy: '雾',
  rainy: '小雨',
  stormy: '雷阵雨',
  snowy: '小雪',
}
