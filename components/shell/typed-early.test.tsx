// @vitest-environment jsdom
import { act, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Input } from '../ui/input'
import { Textarea } from '../ui/textarea'
import { useSchemaForm } from './use-schema-form'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)

let place: HTMLElement
beforeEach(() => {
  place = document.body.appendChild(document.createElement('div'))
})
afterEach(() => place.remove())

function boxOf(name: string): HTMLInputElement {
  const found = place.querySelector<HTMLInputElement>(`[name="${name}"]`)
  if (!found) throw new Error(`there is no box ${name}`)
  return found
}

/** The page as the server sends it, what somebody types into it at once, and then React takes it over. */
async function open(page: React.ReactNode, typed: Record<string, string>): Promise<void> {
  place.innerHTML = renderToString(page)
  for (const [name, text] of Object.entries(typed)) boxOf(name).value = text
  await act(async () => hydrateRoot(place, page))
}

const schema = z.object({ login: z.string(), password: z.string() })

function Form({ onValues }: { onValues: (values: Record<string, string>) => void }) {
  const { values, set } = useSchemaForm({
    schema,
    initial: { login: '', password: '' },
    send: async () => {},
  })
  onValues(values)
  return (
    <>
      <Input name="login" value={values.login} onChange={({ target }) => set({ login: target.value })} />
      <Input
        name="password"
        value={values.password}
        onChange={({ target }) => set({ password: target.value })}
      />
    </>
  )
}

it('keeps what was typed into several boxes before React took them over, and its owner knows of it', async () => {
  let known: Record<string, string> = {}
  const onValues = (values: Record<string, string>) => {
    known = values
  }
  await open(<Form onValues={onValues} />, { login: 'ada', password: 'hush hush' })
  expect(known).toEqual({ login: 'ada', password: 'hush hush' })
  expect([boxOf('login').value, boxOf('password').value]).toEqual(['ada', 'hush hush'])
})

function Notes({ text: start, onText }: { text: string; onText: (text: string) => void }) {
  const [text, setText] = useState(start)
  const change = ({ target }: { target: { value: string } }) => {
    onText(target.value)
    setText(target.value)
  }
  return <Textarea name="notes" value={text} onChange={change} />
}

it('keeps several lines', async () => {
  const onText = vi.fn()
  await open(<Notes text="" onText={onText} />, { notes: 'one\ntwo' })
  expect(onText.mock.calls).toEqual([['one\ntwo']])
  expect(boxOf('notes').value).toBe('one\ntwo')
})

it('tells nobody of a box that is as its owner knows it', async () => {
  const onText = vi.fn()
  await open(<Notes text="as it was" onText={onText} />, {})
  expect(onText).not.toHaveBeenCalled()
  expect(boxOf('notes').value).toBe('as it was')
})
