import type { StreamParser } from '@codemirror/streamparser'

type Load = () => Promise<StreamParser<unknown>>

// The names of a language after a fence, and how to load its parser. Each parser is a file of its own.
const languages: readonly (readonly [names: string, load: Load])[] = [
  ['js mjs cjs jsx javascript node', () => script().then(mode => mode.javascript)],
  ['ts mts cts tsx typescript', () => script().then(mode => mode.typescript)],
  ['json json5 jsonc jsonl ndjson', () => script().then(mode => mode.json)],
  ['py python python3', () => import('@codemirror/legacy-modes/mode/python').then(mode => mode.python)],
  [
    'sh bash zsh shell console shellsession terminal',
    () => import('@codemirror/legacy-modes/mode/shell').then(mode => mode.shell),
  ],
  ['ps1 powershell', () => import('@codemirror/legacy-modes/mode/powershell').then(mode => mode.powerShell)],
  ['sql', () => database().then(mode => mode.standardSQL)],
  ['postgres postgresql pgsql', () => database().then(mode => mode.pgSQL)],
  ['mysql', () => database().then(mode => mode.mySQL)],
  ['sqlite', () => database().then(mode => mode.sqlite)],
  ['html xhtml vue svelte', () => markup().then(mode => mode.html)],
  ['xml svg', () => markup().then(mode => mode.xml)],
  ['css', () => styles().then(mode => mode.css)],
  ['scss sass', () => styles().then(mode => mode.sCSS)],
  ['less', () => styles().then(mode => mode.less)],
  ['c h', () => curly().then(mode => mode.c)],
  ['cpp c++ cc cxx hpp', () => curly().then(mode => mode.cpp)],
  ['cs csharp c#', () => curly().then(mode => mode.csharp)],
  ['java', () => curly().then(mode => mode.java)],
  ['kt kts kotlin', () => curly().then(mode => mode.kotlin)],
  ['scala', () => curly().then(mode => mode.scala)],
  ['dart', () => curly().then(mode => mode.dart)],
  ['objc objectivec objective-c', () => curly().then(mode => mode.objectiveC)],
  ['glsl', () => curly().then(mode => mode.shader)],
  ['php', () => curly().then(mode => phpFrom(mode.clike))],
  ['go golang', () => import('@codemirror/legacy-modes/mode/go').then(mode => mode.go)],
  ['rs rust', () => import('@codemirror/legacy-modes/mode/rust').then(mode => mode.rust)],
  ['rb ruby', () => import('@codemirror/legacy-modes/mode/ruby').then(mode => mode.ruby)],
  ['swift', () => import('@codemirror/legacy-modes/mode/swift').then(mode => mode.swift)],
  ['groovy gradle', () => import('@codemirror/legacy-modes/mode/groovy').then(mode => mode.groovy)],
  ['lua', () => import('@codemirror/legacy-modes/mode/lua').then(mode => mode.lua)],
  ['perl pl', () => import('@codemirror/legacy-modes/mode/perl').then(mode => mode.perl)],
  ['r', () => import('@codemirror/legacy-modes/mode/r').then(mode => mode.r)],
  ['julia jl', () => import('@codemirror/legacy-modes/mode/julia').then(mode => mode.julia)],
  ['hs haskell', () => import('@codemirror/legacy-modes/mode/haskell').then(mode => mode.haskell)],
  ['ocaml ml', () => import('@codemirror/legacy-modes/mode/mllike').then(mode => mode.oCaml)],
  ['fsharp fs', () => import('@codemirror/legacy-modes/mode/mllike').then(mode => mode.fSharp)],
  ['clj clojure', () => import('@codemirror/legacy-modes/mode/clojure').then(mode => mode.clojure)],
  ['erl erlang', () => import('@codemirror/legacy-modes/mode/erlang').then(mode => mode.erlang)],
  ['yml yaml', () => import('@codemirror/legacy-modes/mode/yaml').then(mode => mode.yaml)],
  ['toml', () => import('@codemirror/legacy-modes/mode/toml').then(mode => mode.toml)],
  [
    'ini env dotenv properties',
    () => import('@codemirror/legacy-modes/mode/properties').then(mode => mode.properties),
  ],
  [
    'docker dockerfile',
    () => import('@codemirror/legacy-modes/mode/dockerfile').then(mode => mode.dockerFile),
  ],
  ['nginx', () => import('@codemirror/legacy-modes/mode/nginx').then(mode => mode.nginx)],
  ['cmake', () => import('@codemirror/legacy-modes/mode/cmake').then(mode => mode.cmake)],
  ['proto protobuf', () => import('@codemirror/legacy-modes/mode/protobuf').then(mode => mode.protobuf)],
  ['tex latex', () => import('@codemirror/legacy-modes/mode/stex').then(mode => mode.stex)],
  ['diff patch', () => import('@codemirror/legacy-modes/mode/diff').then(mode => mode.diff)],
  ['http', () => import('@codemirror/legacy-modes/mode/http').then(mode => mode.http)],
]

const script = () => import('@codemirror/legacy-modes/mode/javascript')
const curly = () => import('@codemirror/legacy-modes/mode/clike')
const database = () => import('@codemirror/legacy-modes/mode/sql')
const styles = () => import('@codemirror/legacy-modes/mode/css')
const markup = () => import('@codemirror/legacy-modes/mode/xml')

const loadOf: ReadonlyMap<string, Load> = new Map(
  languages.flatMap(([names, load]) => names.split(' ').map(name => [name, load] as const)),
)

/** Loads the parser of a language. Resolves with `undefined` for an unknown language, and when the file cannot be loaded. */
export async function loadLanguage(name: string): Promise<StreamParser<unknown> | undefined> {
  return loadOf
    .get(name.toLowerCase())?.()
    .catch(() => undefined)
}

type CurlyMode = Awaited<ReturnType<typeof curly>>

/** There is no parser for PHP. The one for languages like C does it well, if it knows the words. */
function phpFrom(clike: CurlyMode['clike']): StreamParser<unknown> {
  return clike({
    name: 'php',
    keywords: wordSet(
      'abstract as break case catch class clone const continue declare default do echo else elseif enum extends final ' +
        'finally fn for foreach function global goto if implements include instanceof interface match namespace new ' +
        'print private protected public readonly require require_once return static switch throw trait try use var while yield',
    ),
    types: wordSet('array bool callable float int iterable mixed never object string void'),
    atoms: wordSet('true false null TRUE FALSE NULL self parent'),
    multiLineStrings: true,
    isIdentifierChar: /[\w$]/,
    hooks: { '#': skipLine },
  })
}

function wordSet(words: string): Record<string, true> {
  return Object.fromEntries(words.split(' ').map(word => [word, true]))
}

function skipLine(stream: { skipToEnd(): void }): string {
  stream.skipToEnd()
  return 'comment'
}
