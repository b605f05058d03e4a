import { GrammyError } from 'grammy'

/** How a message goes to Telegram. */
export interface Way {
  readonly chatId: number
  readonly isMarkdown: boolean
  readonly isPhoto: boolean
}

/** Tries one way after the other. Telegram may take in one way what it refuses in another. */
export async function inSomeWay<Result>(first: Way, attempt: (way: Way) => Promise<Result>): Promise<Result> {
  for (let way = first; ; ) {
    try {
      return await attempt(way)
    } catch (error) {
      const another = anotherWay(error, way)
      if (another === undefined) throw error
      way = another
    }
  }
}

function anotherWay(error: unknown, way: Way): Way | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 400) return undefined
  const { description, parameters } = error
  // A group that has become a supergroup has another id.
  const movedTo = parameters.migrate_to_chat_id
  if (movedTo !== undefined && movedTo !== way.chatId) return { ...way, chatId: movedTo }
  if (way.isMarkdown && description.includes("can't parse entities")) return { ...way, isMarkdown: false }
  // Telegram refuses photos that are very long or very large. As a file it takes them.
  if (way.isPhoto && /photo|image/i.test(description)) return { ...way, isPhoto: false }
  return undefined
}
