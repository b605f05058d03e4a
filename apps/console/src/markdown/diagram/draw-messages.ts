/** What the page sends to the iframe that draws diagrams. */
export type SandboxRequest =
  /** Comes first. The iframe cannot load the library itself: the server refuses requests of pages without an origin. */
  | { readonly type: 'load'; readonly library: string }
  | { readonly type: 'draw'; readonly id: number; readonly diagram: Diagram }

export interface Diagram {
  readonly source: string
  readonly isDark: boolean
}

/** What the iframe returns. */
export interface SandboxReply {
  /** The id of the request; 0 when the library is loaded. */
  readonly id: number
  /** `undefined` for a diagram that is wrong. */
  readonly svg: string | undefined
}
