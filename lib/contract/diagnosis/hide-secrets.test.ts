import { expect, it } from 'vitest'
import type { Failure } from './find-failure'
import { hideSecrets } from './hide-secrets'

const failure: Failure = {
  cause: 'network',
  error: null,
  subject: null,
  location: null,
  evidence: [],
  t: null,
}
const hide = (error: string, values: readonly string[] = []) =>
  hideSecrets({ ...failure, error, subject: error, evidence: [error] }, values)

it.each([
  ['a value of a variable', 'denied for hf_0123456789 twice hf_0123456789', 'denied for … twice …'],
  ['the beginning of a value at the end of a cut text', 'denied for hf_01234', 'denied for …'],
  ['a line of a value with several', 'cannot parse MIIEvQIBADANBg', 'cannot parse …'],
  [
    'user info of a URL',
    "clone 'https://ada:gh_p@ss@git.example.org/a.git'",
    "clone 'https://…@git.example.org/a.git'",
  ],
  [
    'a token in a URL',
    'GET https://a.example/b?x=1&access_token=abc&y=2',
    'GET https://a.example/b?x=1&access_token=…&y=2',
  ],
  ['a signature in a URL', 'GET /b?X-Amz-Signature=0f&X-Amz-Date=1', 'GET /b?X-Amz-Signature=…&X-Amz-Date=1'],
  ['a password after a semicolon', 'jdbc:db://h;password=abc;ssl=true', 'jdbc:db://h;password=…;ssl=true'],
  [
    'nothing in a text without secrets',
    'a short one: 1234567, at a@b.example',
    'a short one: 1234567, at a@b.example',
  ],
])('hides %s', (_, text, shown) => {
  const values = ['hf_0123456789', '1234567', '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----']
  expect(hide(text, values)).toMatchObject({ error: shown, subject: shown, evidence: [shown] })
})

it('hides a value that contains another one as a whole', () => {
  expect(hide('password-of-ada', ['password', 'password-of-ada']).error).toBe('…')
})

it('hides secrets in the place of the code', () => {
  const location = { file: '/work/hf_0123456789.py', line: 1, function: null, code: 'login("hf_0123456789")' }
  expect(hideSecrets({ ...failure, location }, ['hf_0123456789']).location).toEqual({
    ...location,
    file: '/work/….py',
    code: 'login("…")',
  })
})
