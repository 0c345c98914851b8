import { EditorView } from '@codemirror/view'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { renderUi } from '../../testing/render'
import { CodeEditor } from './code-editor'

function Page({ text }: { text: string }) {
  const [value, setValue] = useState(text)
  return (
    <>
      <CodeEditor label="solution.py" language="python" value={value} onChange={setValue} className="h-40" />
      <output>{value}</output>
    </>
  )
}

const editor = () => screen.getByRole('textbox', { name: 'solution.py' })
const untilCodeMirror = () => waitFor(() => expect(editor().className).toContain('cm-content'))

describe('a code editor', () => {
  it('a code editor without a text is a plain field until it is used, and keeps text, focus and selection then', async () => {
    renderUi(<Page text="" />)
    const field = editor() as HTMLTextAreaElement
    expect(field.tagName).toBe('TEXTAREA')
    field.focus()
    fireEvent.change(field, { target: { value: 'import torch' } })
    field.setSelectionRange(7, 12)
    await untilCodeMirror()
    expect(editor().textContent).toBe('import torch')
    expect(screen.getByRole('status').textContent).toBe('import torch')
    expect(document.activeElement).toBe(editor())
    expect(document.getSelection()?.toString()).toBe('torch')
  })

  it('has the cursor at the first character of the line with which it opens', async () => {
    const text = 'def run():\n    fail()\n'
    renderUi(<CodeEditor label="solution.py" language="python" value={text} startLine={2} className="h-40" />)
    await untilCodeMirror()
    expect(document.activeElement).toBe(editor())
    const view = EditorView.findFromDOM(editor())
    expect(view?.state.selection.main.head).toBe(text.indexOf('fail'))
  })

  it('takes no focus if the user has left the field', async () => {
    renderUi(<Page text="" />)
    editor().focus()
    editor().blur()
    await untilCodeMirror()
    expect(document.activeElement).toBe(document.body)
  })

  it('stays a plain field while a character is composed', async () => {
    renderUi(
      <>
        <Page text="" />
        <CodeEditor label="other" language="text" value="" className="h-40" />
      </>,
    )
    const field = editor()
    fireEvent.compositionStart(field)
    field.focus()
    // The other editor is used later, so it is complete later too.
    screen.getByRole('textbox', { name: 'other' }).focus()
    await waitFor(() =>
      expect(screen.getByRole('textbox', { name: 'other' }).className).toContain('cm-content'),
    )
    expect(editor()).toBe(field)
    fireEvent.change(field, { target: { value: '日' } })
    fireEvent.compositionEnd(field)
    await untilCodeMirror()
    expect(editor().textContent).toBe('日')
  })

  it('keeps what was written since the last rendering, and takes other texts from outside', async () => {
    const written: string[] = []
    const show = (value: string) => (
      <CodeEditor
        label="solution.py"
        language="python"
        value={value}
        onChange={(text) => written.push(text)}
        className="h-40"
      />
    )
    const { rerender } = render(show('old'))
    await untilCodeMirror()
    const view = EditorView.findFromDOM(editor())
    const write = (text: string) =>
      view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    const text = () => view?.state.doc.toString()
    write('a')
    write('ab')
    expect(written).toEqual(['a', 'ab'])
    for (const [value, expected] of [
      ['a', 'ab'],
      ['ab', 'ab'],
      ['from a file', 'from a file'],
      ['ab', 'ab'],
      ['old', 'old'],
    ] as const) {
      rerender(show(value))
      expect(text()).toBe(expected)
    }
  })

  it('a code editor with a text is complete as soon as it is visible', async () => {
    renderUi(<Page text="print(1)" />)
    await untilCodeMirror()
    expect(editor().textContent).toBe('print(1)')
    expect(document.activeElement).toBe(document.body)
  })
})
