import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderUi } from '../testing/render'
import { AppShell } from './app-shell'
import {
  outputShortcuts,
  searchShortcuts,
  siteShortcuts,
  submitShortcuts,
  terminalShortcuts,
} from './shortcuts/shortcut-table'

vi.mock('next/navigation', () => import('../testing/navigation'))

it('lists every shortcut of the site', async () => {
  renderUi(
    <AppShell handle="ada" admin={false} engine="builtin">
      <p>page</p>
    </AppShell>,
  )
  fireEvent.keyDown(document.body, { key: '?', shiftKey: true })
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  const tables = [
    siteShortcuts(false),
    ...[outputShortcuts, searchShortcuts, terminalShortcuts, submitShortcuts].map(Object.values),
  ]
  for (const { label } of tables.flat()) {
    expect(within(dialog).getAllByText(label).length).toBeGreaterThan(0)
  }
  expect(within(dialog).getByText('Select all lines').parentElement?.textContent).toBe(
    'Select all linesCtrla',
  )
  expect(within(dialog).queryByText('All users')).toBeNull()
})
