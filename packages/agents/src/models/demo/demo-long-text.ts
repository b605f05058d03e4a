import { countWords } from './demo-words.ts'
import type { SeededRandom } from './seeded-random.ts'

type Choices = readonly [string, ...string[]]

/** Returns numbered paragraphs with at least `minWords` words together. They are made of sentences with gaps. */
export function longText(minWords: number, random: SeededRandom): string {
  const paragraphs: string[] = []
  let words = 0
  while (words < minWords) {
    const sentences = Array.from({ length: 4 + random.below(3) }, () => sentence(random))
    const paragraph = `${paragraphs.length + 1}. ${sentences.join(' ')}`
    paragraphs.push(paragraph)
    words += countWords(paragraph)
  }
  return paragraphs.join('\n\n')
}

function sentence(random: SeededRandom): string {
  const filled = random.pick(sentences).replace(/\{(\w+)\}/g, (_, gap: string) => {
    const choices = gaps[gap]
    return choices === undefined ? gap : random.pick(choices)
  })
  return filled.charAt(0).toUpperCase() + filled.slice(1)
}

const sentences: Choices = [
  '{who} stood {where} {when}, looking after {thing}.',
  '{when}, {who} noticed that {thing} had been left {where}.',
  'nobody could say why {thing} mattered so much, but {who} was certain that it did.',
  '{who} wrote everything down in order, because {reason}.',
  'if you asked {who} about {thing}, you heard the same answer every time: {reason}.',
  'the path {where} was {quality}, and {who} liked it that way.',
  '{when} the lamps were lit {where}, and the evening turned {quality}.',
  '"{saying}," said {who}, and put {thing} back on the shelf.',
  '{thing} lay {where}, {quality} and almost forgotten.',
  '{who} counted to ten, looked {where}, and began again, since {reason}.',
  'some said the story of {thing} was {quality}; {who} only smiled.',
  'by the time {who} arrived {where}, {thing} was already there.',
  'it is said {where} that {reason}, and {who} saw no cause to doubt it.',
  '{when}, with the wind turning {quality}, {who} sat down to mend {thing}.',
  'for {who}, a morning that was {quality} was reason enough to go looking for {thing}.',
  '"{saying}," read the note that {who} found {where}.',
]

const gaps: Readonly<Record<string, Choices>> = {
  who: [
    'the lighthouse keeper',
    'an old cartographer',
    'the ferryman',
    'a careful archivist',
    'the youngest of the bell ringers',
    'the night porter',
    'a travelling clockmaker',
    'the librarian',
    'the gardener',
    'a retired signalman',
  ],
  thing: [
    'a brass compass',
    'the blue ledger',
    'a box of unsent letters',
    'the spare key',
    'a folded map of the coast',
    'the cracked bell',
    'a jar of river sand',
    'the list of tides',
    'a coil of good rope',
    'the second lantern',
  ],
  where: [
    'along the harbour wall',
    'behind the old station',
    'at the top of the stairs',
    'beside the slow canal',
    'near the orchard gate',
    'in the reading room',
    'on the far side of the bridge',
    'below the weather vane',
    'under the arches of the market',
  ],
  when: [
    'early in the morning',
    'on the last day of the month',
    'just before the rain',
    'long after supper',
    'when the ferry was late',
    'in the quiet hour after noon',
    'towards the end of winter',
    'on an ordinary Tuesday',
  ],
  quality: [
    'quiet',
    'calm',
    'silver at the edges',
    'slower than usual',
    'pleasantly cold',
    'strange',
    'bright',
    'gentle',
    'hard to describe',
  ],
  reason: [
    'what is written down once need not be remembered twice',
    'the order of things is half of their meaning',
    'a tide that is missed comes back, but never quite the same one',
    'whoever arrives late should be able to read what happened before',
    'a small light in the right place is worth more than a large one elsewhere',
    'every road is shorter for those who have walked it before',
    'a promise kept in silence is still a promise',
  ],
  saying: [
    'Begin where you stopped, and not one step earlier',
    'Leave the door as you found it',
    'Count the waves, but do not trust the count',
    'Whoever asks twice listens once',
    'There is always time to read it again',
    'Keep the first page dry and the rest will follow',
  ],
}
