import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { CountingProxy } from './counting-proxy'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { adminUser, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** The terminal on the page of a job. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'terminals', limits: noLimits })
})
test.afterAll(() => cancelAll(person))

/** Runs a command in the job's terminal. All shells of this file run at the same time, so each takes little CPU. */
const start = (command: string) =>
  submit(person, commandCode(command), configText({ tty: true, ...longRunning, cpu: 0.1 }))
const commandCode = (command: string) =>
  `import os; os.execvp("sh", ["sh", "-c", ${JSON.stringify(command)}])`
const shell = "PS1='ready> ' exec bash --norc --noprofile"

const terminalOf = (page: Page) => page.getByRole('region', { name: 'Terminal' })
const screenOf = (page: Page) => terminalOf(page).getByRole('list')
const inputOf = (page: Page) => terminalOf(page).getByRole('textbox', { name: 'Terminal of the job' })

/** A row of the terminal with exactly this text. */
function row(page: Page, text: string): Locator {
  return screenOf(page).getByText(text, { exact: true }).first()
}

async function open(page: Page, context: BrowserContext, id: string, user = person): Promise<void> {
  await signIn(context, user)
  await page.goto(`/jobs/${id}`)
}

/** Opens a job with a shell and waits for its prompt. */
async function openShell(page: Page, context: BrowserContext): Promise<string> {
  const id = await start(shell)
  await open(page, context, id)
  await expect(row(page, 'ready>')).toBeAttached()
  await expect(terminalOf(page)).toContainText('Connected')
  await inputOf(page).focus()
  return id
}

async function run(page: Page, command: string): Promise<void> {
  await page.keyboard.insertText(command)
  await page.keyboard.press('Enter')
}

test('a user types at a shell, edits, interrupts, and sees the exit code', async ({ page, context }) => {
  await openShell(page, context)
  await run(page, 'echo "grün €" $((6 * 7))')
  await expect(row(page, 'grün € 42')).toBeAttached()
  // History, and a change in the middle of the line.
  await page.keyboard.press('ArrowUp')
  for (let times = 0; times < 2; times++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('0')
  await page.keyboard.press('Enter')
  await expect(row(page, 'grün € 420')).toBeAttached()
  // Completion: Tab goes to the program.
  await page.keyboard.type('ech')
  await page.keyboard.press('Tab')
  await run(page, 'completed')
  await expect(row(page, 'completed')).toBeAttached()
  await run(page, 'echo started; sleep 3600')
  await expect(row(page, 'started')).toBeAttached()
  await page.keyboard.press('Control+C')
  await run(page, 'echo code $?')
  await expect(row(page, 'code 130')).toBeAttached()
  await run(page, 'exit 7')
  await expect(terminalOf(page)).toContainText('Ended with exit code 7')
})

test('the program has the size of the terminal, in a wide and in a narrow window', async ({
  page,
  context,
}) => {
  await openShell(page, context)
  await run(page, "trap 'stty size' WINCH")
  const columns: number[] = []
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    const size = async () => {
      await run(page, 'stty size')
      const rows = await screenOf(page).getByRole('listitem').allTextContents()
      return rows.findLast((text) => /^\d+ \d+\s*$/.test(text))?.trim() ?? ''
    }
    await expect
      .poll(async () => {
        const [shown, rows] = [await size(), await screenOf(page).getByRole('listitem').count()]
        return shown.startsWith(`${rows} `)
      })
      .toBe(true)
    columns.push(Number((await size()).split(' ')[1]))
    await expectNoSideScroll(page)
  }
  const [wide = 0, narrow = 0] = columns
  expect(wide).toBeGreaterThan(100)
  expect(narrow).toBeLessThan(60)
  expect(narrow).toBeGreaterThan(20)
})

test('a keyboard user leaves the terminal with Escape and Tab, in both directions', async ({
  page,
  context,
}) => {
  await openShell(page, context)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(terminalOf(page).getByRole('button', { name: 'Copy command' })).toBeFocused()
  await inputOf(page).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Tab')
  await expect(inputOf(page)).not.toBeFocused()
})

test('a pasted text contains no hidden keys', async ({ page, context }) => {
  await openShell(page, context)
  // Before the shell has handed the terminal to the program, an Enter would not end a line.
  await run(page, 'echo start"ed"; cat -v')
  await expect(row(page, 'started')).toBeAttached()
  await inputOf(page).evaluate((input) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'first\nsecond \u001b[201~\u0003end\n')
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await expect(row(page, 'second [201~end')).toBeAttached()
})

test('after a cut connection the terminal continues, and no output is missing or repeated', async ({
  page,
  context,
  watch,
}) => {
  watch.tolerate(/ERR_\w+.*\/events/)
  const id = await start(shell)
  await signIn(context, person)
  const proxy = await CountingProxy.open(theSystem().url)
  try {
    await page.goto(`${proxy.url}/jobs/${id}`)
    await expect(terminalOf(page)).toContainText('Connected')
    await inputOf(page).focus()
    await run(page, 'echo before')
    await expect(row(page, 'before')).toBeAttached()
    proxy.cut()
    await person.client.jobs.type(id, new TextEncoder().encode('echo mean"while"\r'))
    await expect(row(page, 'meanwhile')).toBeAttached()
    await run(page, 'echo aft"er"')
    await expect(row(page, 'after')).toBeAttached()
    const rows = await screenOf(page).getByRole('listitem').allTextContents()
    const answers = rows.map((text) => text.trim()).filter((text) => /^(before|meanwhile|after)$/.test(text))
    expect(answers).toEqual(['before', 'meanwhile', 'after'])
  } finally {
    proxy.close()
  }
})

test('a megabyte of fast output arrives, and the terminal answers after it', async ({ page, context }) => {
  await openShell(page, context)
  await run(page, 'seq 1 160000')
  await expect(row(page, '160000')).toBeAttached()
  await run(page, 'echo still "here"')
  await expect(row(page, 'still here')).toBeAttached()
})

test('a program can neither set the clipboard nor offer a hidden link', async ({ page, context }) => {
  await page.addInitScript(() => {
    const copied: string[] = []
    const clipboard = { writeText: async (text: string) => void copied.push(text) }
    Object.defineProperty(navigator, 'clipboard', { value: clipboard })
    Object.assign(window, { copied })
  })
  const id = await start(
    String.raw`printf '\033]52;c;%s\a' "$(printf evil | base64)"; printf '\033]8;;https://evil.example\033\\the text\033]8;;\033\\\n'; sleep 3600`,
  )
  await open(page, context, id)
  await expect(row(page, 'the text')).toBeAttached()
  // A click on a link would ask the user, and a dialog fails the test.
  const box = await row(page, 'the text').boundingBox()
  await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await expect(terminalOf(page).getByRole('link')).toHaveCount(0)
  expect(await page.evaluate(() => Reflect.get(window, 'copied'))).toEqual([])
})

test('an admin sees the terminal of a user, and types only after asking for it', async ({
  page,
  context,
}) => {
  const id = await start(shell)
  await open(page, context, id, adminUser())
  await expect(row(page, 'ready>')).toBeAttached()
  await expect(terminalOf(page)).toContainText('Connected, read-only')
  await inputOf(page).focus()
  await page.keyboard.type('ignored')
  await terminalOf(page).getByRole('button', { name: 'Type in this terminal' }).click()
  await inputOf(page).focus()
  await run(page, 'echo help"ed"')
  await expect(row(page, 'helped')).toBeAttached()
  await expect(screenOf(page)).not.toContainText('ignored')
  const { items } = await adminUser().client.audit.list({ action: 'terminal_used' })
  expect(items.filter(({ target }) => target === id)).toHaveLength(1)
})

test('the terminal shows that a job waits, and that it was cancelled', async ({ page, context }) => {
  const id = await submit(
    person,
    commandCode(shell),
    configText({ tty: true, gpu_count: 1, gpu_memory_gb: 1000 }),
  )
  await open(page, context, id)
  await expect(terminalOf(page)).toContainText('Waits for the start of the job')
  await person.client.jobs.cancel(id)
  await expect(terminalOf(page)).toContainText('Ended: the job was cancelled')
})
