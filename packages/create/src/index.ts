// The entry point `create-throughline`: what the command does, for programs.

/** @public */
export { CreateError } from './create-error.ts'
/** @public */
export { type CreatedProject, createProject, type ProjectOptions } from './create-project.ts'
