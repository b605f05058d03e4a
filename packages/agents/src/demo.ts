// The entry point `@throughline/agents/demo`: the scripted model, which needs no key, and what it can use.

/** @public */
export { createDemoModel } from './models/demo/demo-model.ts'
export { startDemoPage } from './models/demo/demo-page.ts'
export { demoPageLine } from './models/demo/demo-prompt.ts'
export { demoSubAgents } from './models/demo/demo-sub-agents.ts'
export { demoTools } from './models/demo/demo-tools.ts'
