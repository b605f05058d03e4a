import type { ModelThread as Thread } from '../../../../packages/agents/src/models/thread/model-thread.ts'

/** Reads models in the main thread. */
export class ModelThread implements AsyncDisposable {
  readonly wrap: Thread['wrap'] = model => model

  async [Symbol.asyncDispose](): Promise<void> {}
}
