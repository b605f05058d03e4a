const names = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
  'BRAVE_SEARCH_API_KEY',
  'TAVILY_API_KEY',
]

/** Returns which keys of models and of the web search are set in an environment. Never their values. */
export function knownKeys(
  env: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly isSet: boolean }[] {
  return names.map(name => ({ name, isSet: (env[name] ?? '').trim() !== '' }))
}
