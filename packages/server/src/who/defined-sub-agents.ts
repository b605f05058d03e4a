import {
  DefinedSubAgent,
  type FindModel,
  type RequestContext,
  type SubAgentDefinition,
  type SubAgentFields,
  type SubAgentSource,
  subAgentDefinitionSchema,
} from '@throughline/agents/internal'
import type { OwnerId } from '@throughline/protocol'
import type { DefinitionDraft, Definitions, StoredDefinition } from '@throughline/store'

/** Where a person is. Definitions of the workspace count before those without a workspace. */
export type DefinitionScope = Pick<RequestContext, 'workspaceId' | 'pageId'>

/** An owner, and where they are. */
export interface DefinitionPlace extends DefinitionScope {
  readonly ownerId: OwnerId
}

/** Reads definitions of sub-agents from the store. */
export type DefinitionReader = Pick<Definitions, 'list' | 'get'>

/** Finds sub-agents in the database. Reads it for each call, so that a change takes effect at once. */
export function definedSubAgents(
  definitions: DefinitionReader,
  { ownerId, ...place }: DefinitionPlace,
  findModel: FindModel,
): SubAgentSource {
  const toAgent = (definition: SubAgentDefinition) => new DefinedSubAgent(definition, findModel)
  return {
    async find(name) {
      const { workspaceId } = place
      const local = workspaceId && (await definitions.get(ownerId, { workspaceId, name }))
      const general = await definitions.get(ownerId, { name })
      const known = [local, general].flatMap(stored => (stored ? definitionsFrom(stored) : []))
      const [definition] = visibleAt(place, known)
      return definition && toAgent(definition)
    },
    async list() {
      const all = (await definitions.list(ownerId)).flatMap(definitionsFrom)
      return visibleAt(place, all).map(toAgent)
    },
  }
}

/** Returns the definitions that are there for a person in this workspace, on this page. */
export function visibleAt<Definition extends Pick<SubAgentDefinition, 'name' | 'workspaceId' | 'pageIds'>>(
  { workspaceId, pageId }: DefinitionScope,
  definitions: readonly Definition[],
): readonly Definition[] {
  const isHere = ({ pageIds }: Definition) =>
    pageIds.length === 0 || (pageId !== undefined && pageIds.includes(pageId))
  return definedIn(workspaceId, definitions.filter(isHere))
}

/**
 * Returns the definitions that an agent in a workspace sees. A definition of the workspace hides one of the same name
 * without a workspace.
 */
export function definedIn<
  Definition extends { readonly name: string; readonly workspaceId?: string | undefined },
>(workspaceId: string | undefined, definitions: readonly Definition[]): readonly Definition[] {
  const local = definitions.filter(each => workspaceId !== undefined && each.workspaceId === workspaceId)
  const names = new Set(local.map(({ name }) => name))
  const general = definitions.filter(each => each.workspaceId === undefined && !names.has(each.name))
  return [...local, ...general]
}

/** Returns `undefined` for a definition that another version of this program saved, and this one cannot read. */
export function definitionFrom({ fields, ...known }: StoredDefinition): SubAgentDefinition | undefined {
  return subAgentDefinitionSchema.safeParse({ ...fields, ...known }).data
}

/** For `flatMap`: leaves out a definition that cannot be read, and keeps the others. */
export function definitionsFrom(stored: StoredDefinition): readonly SubAgentDefinition[] {
  const definition = definitionFrom(stored)
  return definition === undefined ? [] : [definition]
}

/** Returns a definition in the form in which the store saves it. */
export function draftFrom(
  { name, workspaceId, enabled, ...fields }: SubAgentFields,
  { id, updatedAt }: Pick<SubAgentDefinition, 'id' | 'updatedAt'>,
): DefinitionDraft {
  return { id, name, workspaceId, enabled, fields, updatedAt }
}
