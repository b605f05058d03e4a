import { richText } from './samples.ts'

// What the demo model says in English. `chinese.ts` has the same in Chinese. `script.ts` explains scripts and placeholders.

/** What the demo model says in one language. */
export interface DemoLanguage {
  /** For each scenario: the word to type, what the scenario shows, and the script of its first model call. */
  readonly scenarios: Readonly<Record<keyof typeof demoEnglish.scenarios, string>>
  /** The scripts of other model calls. */
  readonly scripts: Readonly<Record<keyof typeof demoEnglish.scripts, string>>
  readonly texts: Readonly<Record<keyof typeof demoEnglish.texts, string>>
  /** What a page can show besides plain Markdown. */
  readonly richText: string
  /** How much of a question is repeated. */
  readonly maxQuoteChars: number
}

/** What the demo model says in English. */
export const demoEnglish = {
  scenarios: {
    brokenAgent:
      'broken agent | a sub-agent that breaks off, and a master that copes with it | I ask the agent `clumsy`, whose model breaks off in the middle. | ask clumsy: Tell a story that has an end.',
    parallelAgents:
      'parallel agents | two sub-agents that work at the same time | I ask two researchers at the same time, one for each city. | ask researcher: Find out how warm it is in Lisbon, also in Fahrenheit. | ask researcher: Find out how warm it is in Cairo, also in Fahrenheit.',
    delegate:
      'delegate | a task handed to a sub-agent, which asks another one in turn (name a city if you like) | I hand this to the `researcher`, who will have the result checked by the `checker`. | ask researcher: Find out how warm it is in {city:Lisbon}, also in Fahrenheit, and have it checked.',
    approve:
      'approve | a tool call that waits until you allow or deny it | I would like to send a report. The tool needs your approval: until you decide, nothing happens. | call send_report: {"to":"team@example.com","text":"All is well."}',
    refuse:
      'refuse | agents that must not or cannot be asked, and how a refusal reads | I ask an agent that does not exist, and have the `researcher` ask one that it may not ask. | ask astronaut: Look at the weather from above. | ask researcher: Ask the agent clumsy for its opinion.',
    browser:
      'browser | a sub-agent that works in a real browser, where one is installed | I ask the `browser` agent to open the demo page, fill in its form and take a screenshot. | ask browser: Demo page {url} : open it, fill in the name in its form, send it, and take a screenshot.',
    openPage:
      'open page | a web page offered beside the chat | Here is a page that you may want to see. | call open-url: {"url":"https://example.com/","title":"Example Domain"}',
    fail: 'fail | a tool call that fails, and an answer that deals with it | I will ask for the weather in a city that is not there, so this tool call is going to fail. | call weather: {"city":"Atlantis"}',
    error:
      'error | a model that breaks off in the middle of its answer | This answer starts well. It has a second sentence, too. But the script says that before it can | fail: The demo model broke off in the middle of its answer, as the script says.',
    tools:
      'tools | several tool calls in one step | I will make {count} tool {count|call|calls} in one step. | call current_time: {"timeZone":"Asia/Shanghai"} | call calculator: {"expression":"(17 + 4) * 2 ^ 3"} | call weather: {"city":"Shanghai"}',
    weather:
      'weather | text, a tool call, and text that uses the result (name a city if you like) | Let me look up the weather in {city:Paris}. | call weather: {"city":"{city:Paris}"}',
    think: [
      'think',
      'reasoning before the answer',
      'think: The question is about thinking itself, so the honest start is this: nothing is being thought here. These lines are recited from a script, to show how reasoning looks while it streams.',
      'think: Suppose it were a riddle: three boxes, one with apples, one with pears, one with both, and every label wrong. Open the box labelled "both". Whatever fruit comes out is all it holds, and the other two follow from that.\n\nOne look is therefore enough. That can be said in two sentences.',
      'Open the box labelled "both": one look settles all three. The reasoning above was scripted: this is the demo model, and it does not think.',
    ].join(' | '),
    rich: 'rich | formulas, a diagram, tasks, footnotes, sources and coloured code | {rich} | source https://commonmark.org/: CommonMark | source https://katex.org/docs/supported.html: What KaTeX supports',
    markdown: 'markdown | headings, lists, code, a table and a quote | {markdown}',
    long: 'long | an answer of more than 3,000 words: stop it, reload the page, or watch it from a second window | Here is a long text that the scripted demo model puts together from ready-made sentences. Stop it at any time.\n\n | long: 3200',
    help: 'help | this list | I am the scripted demo model, not a language model: I look for a word I know and play its script. Type one of these:\n\n{list}\n\nTo talk to a real model, set `THROUGHLINE_MODEL` and its key, then start again.',
    // It is always played in Chinese.
    hello: '你好 | an answer in Chinese with a tool call in the middle',
  },
  scripts: {
    lookUp: 'I look up the weather in {city:Lisbon} first. | call weather: {"city":"{city:Lisbon}"}',
    convert:
      'It is {celsius} °C there; now in Fahrenheit. | call calculator: {"expression":"{celsius} * 9 / 5 + 32"}',
    haveChecked: 'The `checker` shall look at it. | ask checker: Check that {celsius} °C is {fahrenheit} °F.',
    askForbidden: 'I try to ask `clumsy`. | ask clumsy: What do you think?',
    stumble:
      'Once an agent picked up a vase, carefully, and then | fail: The demo agent clumsy dropped the vase, as the script says.',
    openPage: 'I open the page. | call browser_navigate: {"url":"{url}"}',
    fillForm: 'Now the form. | call browser_type: {"selector":"input[name=name]","text":"Ada"}',
    sendForm: 'I send it. | call browser_click: {"selector":"button"}',
    takeScreenshot: 'And a screenshot of what came back. | call browser_screenshot: {}',
  },
  texts: {
    greeting:
      'Hello!{quoted} I am the scripted demo model, not a language model, so I cannot really answer that. {unread}Type **help** to see what I can show you.',
    quoted: ' You wrote: "{quote}".',
    unread: 'I cannot read the {files|file|# files} you attached. ',
    toListItem: '- **{keyword}**: {shows}',
    comma: ', ',
    and: ' and ',
    space: ' ',
    missingTools: 'I would call {tools} here, but this agent was not given {count|that tool|those tools}.',
    missingAgents: 'I would ask {agents} here, but this installation has no such agent.',
    missingPage: 'I would send the `browser` agent to the demo page, but there is none here.',
    noResults: 'No tool has answered, so there is nothing to add.',
    results: 'This is what came back:\n\n{results}\n\n',
    afterFailure:
      'A failed tool does not end the conversation: the model sees the failure and can go on, as this one does.',
    afterSuccess: 'The numbers come from the tools; the words around them are the script of the demo model.',
    toolFailed: 'The tool `{tool}` failed. It said: "{reason}"',
    toolSaid: 'The tool `{tool}` answered: {value}',
    weather:
      'In {city} it is {sky} at {temperatureCelsius} °C, with {humidityPercent} % humidity and wind at {windKilometresPerHour} km/h ({source}).',
    sum: 'The calculator says that `{expression}` is **{result}**.',
    clock: 'In {timeZone} it is {weekday}, {localTime}.',
    taskDone: 'the task was done.',
    taskRefused: '`{code}`, "{message}"',
    noNumber: 'There is no temperature in the report, so I cannot conclude anything from it.',
    noReport: 'I got no report: {outcome}. So there is nothing to conclude.',
    checkedConclusion: 'So, now that two agents agree on the number: {advice}',
    conclusion: 'So, on the word of one agent: {advice}',
    adviceWarm: 'dress lightly.',
    adviceMild: 'a jacket will do.',
    adviceCold: 'take a warm coat.',
    equallyWarm: 'Both are equally warm.',
    firstWarmer: 'The first city is the warmer one, by {gap} {gap|degree|degrees}.',
    secondWarmer: 'The second city is the warmer one, by {gap} {gap|degree|degrees}.',
    broken:
      '`clumsy` did not get to its end. The result I was given is {outcome}. What it said by then is kept, and its failure is not mine: this answer goes on.',
    refused:
      '`astronaut` was not asked: {outcome}. {refusedToo}A refusal is a result like any other: a model reads it and finds another way.',
    refusedToo: 'The `researcher` was refused as well, and says why in its own message. ',
    notSent: 'Nothing was sent. I was told: "{reason}"',
    sent: 'You allowed it, so the report went to {to}. (The demo tool only says so: nothing left this machine.)',
    browserFailed: 'The browser did not make it: {outcome}.',
    browserGaveUp: 'The browser agent did not get to the end, and says why in its message.',
    browserDone: 'That was an agent at work in a real browser; its screenshot is in its message.',
    offered: 'It opens when you click, and not before: an agent can offer a page, but not open it for you.',
    formSent: 'The form was sent, and the screenshot shows the answer.',
    finding: 'My finding: {celsius} °C, which is {fahrenheit} °F{verdict}.',
    checked: ', and that was checked',
    unchecked: ', unchecked',
    withoutNumbers: 'The tools did not give me the numbers I need.',
    mayNotAsk: 'I may not: {outcome}.',
    nothingToCheck: 'I was given no numbers to check.',
    checking: 'The other way round: ({fahrenheit} − 32) × 5 ÷ 9 should lead back to {celsius}.',
    right: 'Verdict: correct, it leads back to where it came from.',
    wrong: 'Verdict: wrong.',
  },
  richText,
  maxQuoteChars: 81,
}
