import { expect, test } from 'vitest'
import { currentTimeTool, TimeZoneError } from '../../src/tools/current-time.ts'

const clock = { now: () => new Date('2026-01-31T20:04:05.678Z') }
const call = { toolCallId: 'call-1', messages: [], context: {} }

test('without a time zone it tells the time in UTC', async () => {
  expect(await currentTimeTool(clock).execute({}, call)).toEqual({
    timeZone: 'UTC',
    localTime: '2026-01-31T20:04:05+00:00',
    weekday: 'Saturday',
    utcTime: '2026-01-31T20:04:05.678Z',
  })
})

test.each([
  ['Asia/Shanghai', '2026-02-01T04:04:05+08:00', 'Sunday'],
  ['America/New_York', '2026-01-31T15:04:05-05:00', 'Saturday'],
  ['Asia/Kathmandu', '2026-02-01T01:49:05+05:45', 'Sunday'],
])('%s has its own date, weekday and offset', async (timeZone, localTime, weekday) => {
  const result = await currentTimeTool(clock).execute({ timeZone }, call)
  expect(result).toMatchObject({ timeZone, localTime, weekday })
})

test('the local time names the same moment as the UTC time', async () => {
  const result = await currentTimeTool(clock).execute({ timeZone: 'Pacific/Chatham' }, call)
  if (!('localTime' in result)) throw new Error('The tool streams, but one answer was expected.')
  expect(Date.parse(result.localTime)).toBe(Math.floor(clock.now().getTime() / 1000) * 1000)
})

test('midnight is hour 00, not 24', async () => {
  const midnight = { now: () => new Date('2026-03-01T00:00:00Z') }
  expect(await currentTimeTool(midnight).execute({}, call)).toMatchObject({
    localTime: '2026-03-01T00:00:00+00:00',
  })
})

test.each(['Mars/Olympus', '', 'Asia/Shanghai; drop', '北京'])('"%s" is refused by name', timeZone => {
  const ask = () => currentTimeTool(clock).execute({ timeZone }, call)
  expect(ask).toThrow(TimeZoneError)
  expect(ask).toThrow(`"${timeZone}" is not a time zone. Use an IANA name`)
})
