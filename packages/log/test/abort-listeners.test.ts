import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { abortListeners } from '../src/abort-listeners.ts'

test('all functions share one listener of the signal, and are called in the order they were added', () => {
  const controller = new AbortController()
  const called: number[] = []
  const functions = [1, 2, 3].map(number => () => void called.push(number))
  for (const each of functions) abortListeners(controller.signal).add(each)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  expect(called).toEqual([1, 2, 3])
})

test('a function that was removed is not called, and the last one to go takes the listener with it', () => {
  const controller = new AbortController()
  const listeners = abortListeners(controller.signal)
  const called: string[] = []
  const first = () => void called.push('first')
  const second = () => void called.push('second')
  listeners.add(first)
  listeners.add(second)
  listeners.remove(first)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  listeners.remove(second)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  listeners.add(second)
  controller.abort()
  expect(called).toEqual(['second'])
})

test('a function may remove itself and others while it is called', () => {
  const controller = new AbortController()
  const listeners = abortListeners(controller.signal)
  const called: string[] = []
  const last = () => void called.push('last')
  const first = () => {
    called.push('first')
    listeners.remove(first)
    listeners.remove(last)
  }
  listeners.add(first)
  listeners.add(last)
  controller.abort()
  expect(called).toEqual(['first'])
})
