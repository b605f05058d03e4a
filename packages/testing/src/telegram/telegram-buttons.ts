import { z } from 'zod'
import { TelegramRefusal } from './telegram-updates.ts'

/** A button below a message of the bot. */
export interface TelegramButton {
  readonly text: string
  /** The data that the bot gets when the button is pressed. */
  readonly data: string
}

const keyboard = z.object({
  inline_keyboard: z.array(z.array(z.object({ text: z.string().min(1), callback_data: z.string() }))),
})

/** Returns the buttons in the parameters of a call; an empty list if there are none. */
export function buttonsIn(markup: unknown): readonly TelegramButton[] {
  if (markup === undefined) return []
  const { inline_keyboard: rows } = keyboard.parse(markup)
  return rows.flat().map(({ text, callback_data: data }) => {
    const bytes = Buffer.byteLength(data)
    if (bytes < 1 || bytes > 64) throw new TelegramRefusal(400, 'Bad Request: BUTTON_DATA_INVALID')
    return { text, data }
  })
}
