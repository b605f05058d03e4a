// The entry point `@throughline/agents/demo`: the scripted model, which needs no key, and what it can use.

/** @public */
export { createDemoModel } from './demo/demo-model.ts'
export { startDemoPage } from './demo/demo-page.ts'
export { demoTools } from './demo/demo-tools.ts'
export { demoPageLine } from './demo/read-scene.ts'
export { demoSubAgents } from './demo/roles.ts'
