import { expect } from '@playwright/test'
import { boxOf, test } from './browser-test'
import { dropFiles, outputOf } from './job-page'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { configText, longRunning, printing, submit } from './uploads'

/** What must be visible without scrolling, and what may cover what. */

test('the newest lines are visible while following, at each size of the window', async ({
  page,
  context,
}) => {
  const person = await createUser({ name: 'follows', limits: noLimits })
  const id = await submit(person, printing, configText(longRunning))
  await signIn(context, person)
  for (const { width, height } of [
    { width: 1440, height: 900 },
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    const size = `${width} × ${height}`
    await page.setViewportSize({ width, height })
    await page.goto(`/jobs/${id}`)
    const output = outputOf(page)
    const last = output.getByText('line 300', { exact: true })
    await expect(last, size).toBeVisible()
    await expect(page.getByText('Following output'), size).toBeInViewport()
    expect(await page.evaluate(() => window.scrollY), size).toBe(0)
    await expect(last, size).toBeInViewport({ ratio: 1 })
    const { y, height: shown } = await boxOf(output)
    expect(y + shown, size).toBeLessThanOrEqual(height)
    // Five lines.
    expect(shown, size).toBeGreaterThanOrEqual(100)
  }
  await cancelAll(person)
})

test('a toast covers no button of the submit page, and lets Tab pass', async ({ page, context }) => {
  await signIn(context, await createUser({ name: 'toasts' }))
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/submit')
    await dropFiles(page, [
      { name: 'solution.py', text: 'print(1)' },
      { name: 'config.yaml', text: '' },
    ])
    const toast = page.locator('[data-sonner-toast]', { hasText: 'config.yaml is empty' })
    await expect(toast).toHaveAttribute('data-mounted', 'true')
    for (const name of ['Start over', 'Submit job']) {
      const button = await boxOf(page.getByRole('button', { name }))
      // The toast moves to its place.
      await expect
        .poll(async () => {
          const { x, y, width: wide, height } = await boxOf(toast)
          const beside = x >= button.x + button.width || x + wide <= button.x
          return beside || y >= button.y + button.height || y + height <= button.y
        }, `${name} at ${width} px`)
        .toBe(true)
    }
    // Behind the toast, which is the last element, the page begins again.
    await page.getByRole('button', { name: 'Start over' }).focus()
    await toast.focus()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
    await expect(toast).not.toBeFocused()
    expect(await page.evaluate(() => document.activeElement?.closest('main') ?? null)).toBeNull()
    await expect(page.locator('body')).not.toBeFocused()
  }
})

test('a dialog dims the place of the scrollbar as much as the page', async ({ page, context }) => {
  await signIn(context, await createUser({ name: 'strip' }))
  const reader = await context.newPage()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto('/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    const difference = async () => {
      const picture = await page.screenshot({ animations: 'disabled' })
      return reader.evaluate(async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
        canvas?.drawImage(image, 0, 0)
        const colorAt = (x: number) => [...(canvas?.getImageData(x, image.height - 5, 1, 1).data ?? [])]
        const scrollbar = colorAt(image.width - 5)
        return Math.max(
          ...colorAt(image.width - 20).map((value, at) => Math.abs(value - (scrollbar[at] ?? 0))),
        )
      }, picture.toString('base64'))
    }
    // Browsers round.
    await expect.poll(difference, colorScheme).toBeLessThan(3)
  }
})

test('after a submit the heading of the job has the focus', async ({ page, context }) => {
  const person = await createUser({ name: 'focus' })
  await signIn(context, person)
  await page.goto('/submit')
  await dropFiles(page, [
    { name: 'solution.py', text: 'print(1)' },
    { name: 'config.yaml', text: configText({ name: 'focused' }) },
  ])
  await expect(page.getByText('Ready to submit')).toBeVisible()
  await page.getByRole('button', { name: 'Submit job' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'focused' })).toBeFocused()
})

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('each line number stands beside its line in the source of a job', async ({ page, context }) => {
    const person = await createUser({ name: 'reads', limits: noLimits })
    const lines = Array.from({ length: 12 }, (_, line) => `value_${line} = ${line}`)
    const id = await submit(person, lines.join('\n'), configText())
    await signIn(context, person)
    await page.goto(`/jobs/${id}?tab=source`)
    const source = page.getByRole('textbox', { name: 'solution.py' })
    await expect(source.getByText('value_11')).toBeVisible()
    const editor = page.locator('.cm-editor', { has: source })
    // The tops of the lines that have no number beside them.
    const misplaced = () =>
      editor.evaluate((element) => {
        const topsOf = (selector: string) =>
          [...element.querySelectorAll(selector)]
            .map((part) => part.getBoundingClientRect())
            .filter(({ height }) => height > 0)
            .map(({ top }) => Math.round(top))
        const numbers = topsOf('.cm-lineNumbers .cm-gutterElement')
        return topsOf('.cm-line').filter((top) => !numbers.includes(top))
      })
    await expect.poll(misplaced).toEqual([])
  })
})
