/**
 * What users of a module see of it: its exports, and of the instances of its classes the public members. Classes with private
 * members differ for TypeScript, even when users cannot tell them apart.
 */
export type PublicOf<Module> = {
  readonly [Name in keyof Module]: Module[Name] extends abstract new (
    ...words: infer Words
  ) => infer Instance
    ? new (
        ...words: Words
      ) => Pick<Instance, keyof Instance>
    : Module[Name]
}
