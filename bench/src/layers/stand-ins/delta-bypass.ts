import type { LanguageModel, TextStreamPart, ToolSet } from 'ai'

type Part = TextStreamPart<ToolSet>

/** Lets every delta go through `streamText`. */
export class DeltaBypass {
  wrap(model: LanguageModel): LanguageModel {
    return model
  }

  async *parts(stream: ReadableStream<Part>): AsyncGenerator<Part, void> {
    yield* stream
  }

  /** Nothing goes past the SDK. */
  pass(): undefined {
    return undefined
  }

  enter(): void {}

  async emptied(): Promise<void> {}
}
