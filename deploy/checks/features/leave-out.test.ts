import { expect, it } from 'vitest'
import { leaveOut } from './leave-out'

const withoutViews = (specifier: string) =>
  specifier.includes('/views/') ? null : specifier.replace('./', '@/lib/')
const imports = "import { show, type Shown } from './views/show'\nimport { keep } from './kept/keep'\n"

it.each([
  {
    part: 'a member of a list',
    text: 'export const all = [keep, show(1)]',
    rest: 'export const all = [keep]',
  },
  {
    part: 'an object in a list',
    text: "export const all = [{ what: 'views', run: show }, { what: 'kept', run: keep }]",
    rest: "export const all = [{ what: 'kept', run: keep }]",
  },
  {
    part: 'the spread of an object',
    text: 'export const all = { views: { ...keep, ...show } }',
    rest: 'export const all = { views: { ...keep } }',
  },
  {
    part: 'a property with a type',
    text: 'export const all: Record<string, Shown> = { keep, show }',
    rest: 'export const all = { keep }',
  },
  {
    part: 'a module that is loaded on demand',
    text: "export const all = { keep, Views: () => import('./views/list').then((module) => module.List) }",
    rest: 'export const all = { keep }',
  },
  {
    part: 'one of several modules that are loaded on demand',
    text: "export const all = [keep, () => import('./views/list'), () => import('./kept/list')]",
    rest: 'export const all = [keep, () => import("@/lib/kept/list")]',
  },
  {
    part: 'a statement of a function',
    text: 'export function all() {\n  keep()\n  show()\n}',
    rest: 'export function all() { keep() }',
  },
])('a feature that registers $part is left out, and the rest stays', ({ text, rest }) => {
  const left = leaveOut(imports + text, withoutViews)
  expect(left.replaceAll(/[\s;]+/g, ' ').trim()).toBe(`import { keep } from "@/lib/kept/keep" ${rest}`)
})

it('a file that does not only register a feature cannot be left without it', () => {
  const text = `${imports}export const all = show(keep)`
  expect(() => leaveOut(text, withoutViews)).toThrow('This cannot be left out: show(keep)')
})
