import type { Run } from '@throughline/store'
import { chunkProjection } from '../chunks/chunk-projection.ts'
import {
  type ChunkFormOptions,
  chunkStream,
  chunksAtWait,
  type SubAgentForm,
  visibleIn,
} from '../chunks/chunk-stream.ts'
import { encodeProjected } from '../encode-projected.ts'
import { InlineProjection } from '../inline/inline-projection.ts'
import type { DirectForm } from '../run-form.ts'
import type { OlderSdk } from './sdk-fields.ts'
import { SdkProjection } from './sdk-projection.ts'

/** The options of a form for an older AI SDK. */
export interface SdkFormOptions extends ChunkFormOptions {
  readonly sdk: OlderSdk
  readonly subAgents: SubAgentForm
}

/** The chunks of a run as an older AI SDK reads them. */
export function sdkForm(run: Run, { seen, sdk, subAgents, ...options }: SdkFormOptions): DirectForm {
  const newest = subAgents === 'inline' ? new InlineProjection(run) : chunkProjection(run, subAgents)
  const projection = new SdkProjection(sdk, newest)
  return {
    ...chunkStream(run, options),
    readsWholeRun: true,
    encode: encodeProjected(run, projection, seen),
    waiting: {
      isVisible: visibleIn(run, subAgents),
      encode: () => chunksAtWait(chunk => projection.translate(chunk)),
    },
  }
}
