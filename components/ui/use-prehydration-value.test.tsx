import { act, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { useSchemaForm } from '../shell/use-schema-form'
import { TextField } from './text-field'
import { Textarea } from './textarea'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)

let container: HTMLElement
beforeEach(() => {
  container = document.body.appendChild(document.createElement('div'))
})
afterEach(() => container.remove())

function inputNamed(name: string): HTMLInputElement {
  const found = container.querySelector<HTMLInputElement>(`[name="${name}"]`)
  if (!found) throw new Error(`no input is named ${name}`)
  return found
}

/** Renders on the server, types before hydration, then hydrates. */
async function typeThenHydrate(page: React.ReactNode, typed: Record<string, string>): Promise<void> {
  container.innerHTML = renderToString(page)
  for (const [name, text] of Object.entries(typed)) inputNamed(name).value = text
  await act(async () => hydrateRoot(container, page))
}

const schema = z.object({ login: z.string(), password: z.string() })

function Form({ onValues }: { onValues: (values: Record<string, string>) => void }) {
  const { values, field } = useSchemaForm({
    schema,
    initial: { login: '', password: '' },
    onSubmit: async () => {},
  })
  onValues(values)
  return (
    <>
      <TextField label="User" {...field('login')} />
      <TextField label="Password" {...field('password')} />
    </>
  )
}

it('keeps the text that was typed into several inputs before hydration, and reports it', async () => {
  let known: Record<string, string> = {}
  const onValues = (values: Record<string, string>) => {
    known = values
  }
  await typeThenHydrate(<Form onValues={onValues} />, { login: 'ada', password: 'hush hush' })
  expect(known).toEqual({ login: 'ada', password: 'hush hush' })
  expect([inputNamed('login').value, inputNamed('password').value]).toEqual(['ada', 'hush hush'])
})

function Notes({ text: start, onText }: { text: string; onText: (text: string) => void }) {
  const [text, setText] = useState(start)
  const change = ({ target }: { target: { value: string } }) => {
    onText(target.value)
    setText(target.value)
  }
  return <Textarea name="notes" value={text} onChange={change} />
}

it('keeps several lines of text', async () => {
  const onText = vi.fn()
  await typeThenHydrate(<Notes text="" onText={onText} />, { notes: 'one\ntwo' })
  expect(onText.mock.calls).toEqual([['one\ntwo']])
  expect(inputNamed('notes').value).toBe('one\ntwo')
})

it('reports nothing if the input holds the initial value', async () => {
  const onText = vi.fn()
  await typeThenHydrate(<Notes text="as it was" onText={onText} />, {})
  expect(onText).not.toHaveBeenCalled()
  expect(inputNamed('notes').value).toBe('as it was')
})
