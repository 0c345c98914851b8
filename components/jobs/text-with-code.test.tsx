import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { TextWithCode } from './text-with-code'

it.each([
  ['Run `gpuq push`, then set `mounts`.', 'Run <code>gpuq push</code>, then set <code>mounts</code>.'],
  ['No code, and 3 < 4.', 'No code, and 3 &lt; 4.'],
  ['A lonely ` stays.', 'A lonely ` stays.'],
])('the code of a sentence is marked: %s', (text, html) => {
  const { container } = render(<TextWithCode text={text} />)
  expect(container.innerHTML.replace(/ class="[^"]*"/g, '')).toBe(html)
})
