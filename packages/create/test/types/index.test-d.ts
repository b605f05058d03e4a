import { type CreatedProject, type CreateError, createProject, type ProjectOptions } from 'create-throughline'
import { expectTypeOf } from 'vitest'

expectTypeOf<CreateError>().toExtend<Error>()
expectTypeOf<keyof CreateError>().toEqualTypeOf<'cause' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof CreatedProject>().toEqualTypeOf<'folder' | 'name' | 'template'>()
expectTypeOf(createProject).toEqualTypeOf<(options: ProjectOptions) => Promise<CreatedProject>>()
expectTypeOf<keyof ProjectOptions>().toEqualTypeOf<'folder' | 'packages' | 'template'>()
