import { expect, test } from 'vitest'
import { demoCities, UnknownCityError, weatherReport, weatherTool } from '../../src/demo/demo-tools.ts'

const call = { toolCallId: 'call-1', messages: [], context: {} }
const ask = (city: string) => weatherTool.execute({ city }, call)

test('every known city has weather by its English and by its Chinese name', async () => {
  expect(demoCities.length).toBeGreaterThanOrEqual(20)
  for (const city of demoCities) {
    expect(weatherReport.parse(await ask(city.name)).city).toBe(city.name)
    expect(weatherReport.parse(await ask(city.chineseName)).city).toBe(city.chineseName)
  }
})

test('no two cities share a name', () => {
  const names = demoCities.flatMap(city => [city.name, city.chineseName])
  expect(new Set(names).size).toBe(names.length)
})

test('a report is marked as demo data and is the same every time', async () => {
  expect(await ask('Paris')).toEqual({
    city: 'Paris',
    sky: 'cloudy',
    temperatureCelsius: 15,
    humidityPercent: 66,
    windKilometresPerHour: 14,
    source: 'demo data',
  })
  expect(await ask('Paris')).toEqual(await ask('Paris'))
})

test('a city asked for in Chinese is answered in Chinese', async () => {
  expect(await ask('北京')).toMatchObject({ city: '北京', sky: '晴' })
})

test.each([
  ['  paris ', 'Paris'],
  ['PARIS, France', 'Paris'],
  ['sao paulo', 'São Paulo'],
  ['北京市', '北京'],
  ['上海，中国', '上海'],
])('"%s" finds %s', async (asked, city) => {
  expect(await ask(asked)).toMatchObject({ city })
})

test('an unknown city is refused, naming it and some known ones', () => {
  expect(() => ask('Atlantis')).toThrow(UnknownCityError)
  expect(() => ask('Atlantis')).toThrow(/"Atlantis".*Beijing \(北京\).*Paris/)
})
