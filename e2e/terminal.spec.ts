import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { CountingProxy } from './counting-proxy'
import {
  inputOf,
  openShell,
  rowOf,
  screenOf,
  shell,
  startTerminal,
  terminalOf,
  typeCommand,
} from './pages/terminal'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'

/** The terminal on the page of a job. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'terminals', limits: noLimits })
})
test.beforeEach(({ context }) => signIn(context, person))
test.afterAll(() => cancelAll(person))

test('a user types at a shell, edits, interrupts, reads a megabyte of output, and sees the exit code', async ({
  page,
}) => {
  await openShell(page, await startTerminal(person, shell))
  await typeCommand(page, 'echo "grün €" $((6 * 7))')
  await expect(rowOf(page, 'grün € 42')).toBeAttached()
  // History, and a change in the middle of the line.
  await page.keyboard.press('ArrowUp')
  for (let times = 0; times < 2; times++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('0')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'grün € 420')).toBeAttached()
  // Completion: Tab goes to the program.
  await page.keyboard.type('ech')
  await page.keyboard.press('Tab')
  await typeCommand(page, 'completed')
  await expect(rowOf(page, 'completed')).toBeAttached()
  await typeCommand(page, 'echo started; sleep 3600')
  await expect(rowOf(page, 'started')).toBeAttached()
  await page.keyboard.press('Control+C')
  await typeCommand(page, 'echo code $?')
  await expect(rowOf(page, 'code 130')).toBeAttached()
  await test.step('a megabyte of fast output arrives, and the terminal answers after it', async () => {
    await typeCommand(page, 'seq 1 160000')
    await expect(rowOf(page, '160000')).toBeAttached()
    await typeCommand(page, 'echo still "here"')
    await expect(rowOf(page, 'still here')).toBeAttached()
  })
  await typeCommand(page, 'exit 7')
  await expect(terminalOf(page)).toContainText('Ended with exit code 7')
})

test('the program has the size of the terminal, in a wide and in a narrow window', async ({ page }) => {
  await openShell(page, await startTerminal(person, shell))
  await typeCommand(page, "trap 'stty size' WINCH")
  const columns: number[] = []
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    const size = async () => {
      await typeCommand(page, 'stty size')
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

test('a keyboard user pastes a text without its hidden keys, and leaves the terminal with Escape and Tab', async ({
  page,
}) => {
  await openShell(page, await startTerminal(person, shell))
  // Before the shell has handed the terminal to the program, an Enter would not end a line.
  await typeCommand(page, 'echo start"ed"; cat -v')
  await expect(rowOf(page, 'started')).toBeAttached()
  await inputOf(page).evaluate((input) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'first\nsecond \u001b[201~\u0003end\n')
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await expect(rowOf(page, 'second [201~end')).toBeAttached()
  // The program has the keys, which mean something to a shell.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(terminalOf(page).getByRole('button', { name: 'Copy command' })).toBeFocused()
  await inputOf(page).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Tab')
  await expect(inputOf(page)).not.toBeFocused()
})

test('after a cut connection the terminal continues, and no output is missing or repeated', async ({
  page,
  watch,
}) => {
  watch.tolerate(/ERR_\w+.*\/events/)
  const id = await startTerminal(person, shell)
  const proxy = await CountingProxy.open(theSystem().url)
  try {
    await page.goto(`${proxy.url}/jobs/${id}`)
    await expect(terminalOf(page)).toContainText('Connected')
    await inputOf(page).focus()
    await typeCommand(page, 'echo before')
    await expect(rowOf(page, 'before')).toBeAttached()
    proxy.cut()
    await person.client.jobs.type(id, new TextEncoder().encode('echo mean"while"\r'))
    await expect(rowOf(page, 'meanwhile')).toBeAttached()
    await typeCommand(page, 'echo aft"er"')
    await expect(rowOf(page, 'after')).toBeAttached()
    const rows = await screenOf(page).getByRole('listitem').allTextContents()
    const answers = rows.map((text) => text.trim()).filter((text) => /^(before|meanwhile|after)$/.test(text))
    expect(answers).toEqual(['before', 'meanwhile', 'after'])
  } finally {
    proxy.close()
  }
})

test('a program can neither set the clipboard nor offer a hidden link', async ({ page }) => {
  await page.addInitScript(() => {
    const copied: string[] = []
    const clipboard = { writeText: async (text: string) => void copied.push(text) }
    Object.defineProperty(navigator, 'clipboard', { value: clipboard })
    Object.assign(window, { copied })
  })
  const id = await startTerminal(
    person,
    String.raw`printf '\033]52;c;%s\a' "$(printf evil | base64)"; printf '\033]8;;https://evil.example\033\\the text\033]8;;\033\\\n'; sleep 3600`,
  )
  await page.goto(`/jobs/${id}`)
  await expect(rowOf(page, 'the text')).toBeAttached()
  // A click on a link would ask the user, and a dialog fails the test.
  const box = await rowOf(page, 'the text').boundingBox()
  await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await expect(terminalOf(page).getByRole('link')).toHaveCount(0)
  expect(await page.evaluate(() => Reflect.get(window, 'copied'))).toEqual([])
})
