import { expect, type Locator, type Page } from '@playwright/test'
import type { TestUser } from '../test-users'
import { configText, longRunning, submit } from '../uploads'

/** The terminal on the page of a job. */

/** A program that becomes a shell command. */
export const commandCode = (command: string) =>
  `import os; os.execvp("sh", ["sh", "-c", ${JSON.stringify(command)}])`
export const shell = "PS1='ready> ' exec bash --norc --noprofile"

/** Runs a command in the job's terminal. All shells of a file run at the same time, so each takes little CPU. */
export const startTerminal = (person: TestUser, command: string) =>
  submit(person, commandCode(command), configText({ tty: true, ...longRunning, cpu: 0.1 }))

export const terminalOf = (page: Page) => page.getByRole('region', { name: 'Terminal' })
export const screenOf = (page: Page) => terminalOf(page).getByRole('list')
export const inputOf = (page: Page) => terminalOf(page).getByRole('textbox', { name: 'Terminal of the job' })

/** A row of the terminal with exactly this text. */
export function rowOf(page: Page, text: string): Locator {
  return screenOf(page).getByText(text, { exact: true }).first()
}

/** Opens the page of a job with a shell, waits for its prompt, and puts the focus into the terminal. */
export async function openShell(page: Page, jobId: string): Promise<void> {
  await page.goto(`/jobs/${jobId}`)
  await expect(rowOf(page, 'ready>')).toBeAttached()
  await expect(terminalOf(page)).toContainText('Connected')
  await inputOf(page).focus()
}

/** Types a command into the focused terminal. */
export async function typeCommand(page: Page, command: string): Promise<void> {
  await page.keyboard.insertText(command)
  await page.keyboard.press('Enter')
}
