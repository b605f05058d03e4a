/** The keys of a record, with their own type. */
export function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): readonly Name[] {
  const names: Name[] = []
  for (const name in record) names.push(name)
  return names
}
