// The entry point `throughline/demo`: the scripted model, which needs no key.

/** @public */
export { createDemoModel } from '@throughline/agents/demo'
