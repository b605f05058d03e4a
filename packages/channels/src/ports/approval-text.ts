import { isRecord } from '@throughline/protocol'
import { shorten } from '@throughline/protocol/internal'
import type { ApprovalOutcome, ToolApproval } from './channel.ts'

/** How many characters of the arguments are shown. More of them are kept. */
const maxInputChars = 1_500

/** How a tool call is described. */
export interface ApprovalTextOptions {
  readonly maxChars: number
  /** Whether somebody who reads the text may decide. */
  readonly canDecide: boolean
}

/** Describes a tool call that waits, or what became of it. */
export function approvalText(approval: ToolApproval, { maxChars, canDecide }: ApprovalTextOptions): string {
  const { outcome } = approval
  const { question, isAskedHere } = approval
  if (question !== undefined) {
    const how = isAskedHere ? 'Your next message is the answer.' : 'Answer on the page of this chat.'
    return shorten(`❓ ${visible(question)}\n\n${how}`, maxChars)
  }
  if (outcome !== undefined) return shorten(`${callText(approval)}: ${outcomeText(outcome)}`, maxChars)
  const where = canDecide ? '' : ' Nobody can approve it here: its owner decides on the page of this chat.'
  const asks = `🔐 ${callText(approval)} waits for approval.${where}`
  return shorten(`${asks}\n\n${inputText(approval)}`, maxChars)
}

/** Returns the name of the tool, with the sub-agent's name if a sub-agent calls it. */
export function callText({ toolName, agent }: ToolApproval): string {
  return agent === undefined ? nameText(toolName) : `${nameText(toolName)} (${nameText(agent)})`
}

function outcomeText({ approved, reason }: ApprovalOutcome): string {
  if (approved) return '✅ approved'
  return reason === undefined ? '❌ denied' : `❌ not approved: ${reason}`
}

/** Returns the arguments of a call for a person to read. A `…` at the end says that there is more. */
export function inputText({ input, isInputCut }: ToolApproval): string {
  return shorten(visible(isInputCut ? `${input}…` : inLines(input)), maxInputChars)
}

/** Writes one argument per line. Nested values stay on their line, because indentation would make them very long. */
function inLines(json: string): string {
  const value: unknown = JSON.parse(json)
  if (!isRecord(value) || Object.keys(value).length === 0) return json
  const lines = Object.entries(value).map(
    ([name, each]) => `  ${JSON.stringify(name)}: ${JSON.stringify(each)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}

function nameText(name: string): string {
  return shorten(visible(name.toWellFormed().replaceAll('\n', ' ')), 100)
}

// The person who decides must see everything. Some characters are invisible, or change the order of others.
function visible(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character =>
    character.split('').map(escaped).join(''),
  )
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
