// The entry point `@throughline/client/browser`: everything that works without a framework. It is built into one file with all
// that it needs, for a `<script type="module">` of a page that is not built.

/** @public */
export * from './events.ts'
/** @public */
export * from './index.ts'
