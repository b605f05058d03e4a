import { shorten } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { DemoToolResult } from './demo-prompt.ts'
import { weatherReport } from './weather.ts'

const calculation = z.object({ expression: z.string(), result: z.number() })
const clockReading = z.object({ timeZone: z.string(), localTime: z.string(), weekday: z.string() })

/** Returns a sentence about a tool's result. The result of an unknown tool is quoted. */
export function describeResult(result: DemoToolResult, isChinese: boolean): string {
  if (result.status === 'failed') {
    return isChinese
      ? `工具 \`${result.toolName}\` 失败了，它的原话是：“${result.reason}”`
      : `The tool \`${result.toolName}\` failed. It said: "${result.reason}"`
  }
  return (isChinese ? inChinese(result.value) : inEnglish(result.value)) ?? quote(result, isChinese)
}

function inEnglish(value: unknown): string | undefined {
  const weather = weatherReport.safeParse(value).data
  if (weather !== undefined) {
    return (
      `In ${weather.city} it is ${weather.sky} at ${weather.temperatureCelsius} °C, with ` +
      `${weather.humidityPercent} % humidity and wind at ${weather.windKilometresPerHour} km/h (${weather.source}).`
    )
  }
  const sum = calculation.safeParse(value).data
  if (sum !== undefined) return `The calculator says that \`${sum.expression}\` is **${sum.result}**.`
  const clock = clockReading.safeParse(value).data
  if (clock !== undefined) return `In ${clock.timeZone} it is ${clock.weekday}, ${clock.localTime}.`
  return undefined
}

function inChinese(value: unknown): string | undefined {
  const weather = weatherReport.safeParse(value).data
  if (weather !== undefined) {
    return (
      `${weather.city}现在${weather.sky}，气温 ${weather.temperatureCelsius} °C，湿度 ${weather.humidityPercent} %，` +
      `风速 ${weather.windKilometresPerHour} km/h（演示数据，并非真实天气）。`
    )
  }
  const sum = calculation.safeParse(value).data
  if (sum !== undefined) return `计算器的结果：\`${sum.expression}\` 等于 **${sum.result}**。`
  const clock = clockReading.safeParse(value).data
  if (clock !== undefined) return `${clock.timeZone} 的当前时间是 ${clock.localTime}。`
  return undefined
}

function quote(
  { toolName, value }: Extract<DemoToolResult, { status: 'succeeded' }>,
  isChinese: boolean,
): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const short = shorten(text, 300)
  return isChinese ? `工具 \`${toolName}\` 的回答是：${short}` : `The tool \`${toolName}\` answered: ${short}`
}
