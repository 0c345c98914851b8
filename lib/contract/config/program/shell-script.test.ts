import { expect, it } from 'vitest'
import { interpreterOf, withUnixLineEnds } from './shell-script'

it.each([
  ['#!/bin/bash\necho', 'bash'],
  ['#!/bin/bash -e\necho', 'bash'],
  ['#! /usr/bin/env bash\r\necho', 'bash'],
  ['#!/usr/bin/env -S LANG=C python3 -u', 'python'],
  ['#!/opt/conda/bin/python3.12', 'python'],
  ['#!', null],
  ['echo "#!/bin/sh"', null],
  ['', null],
])('names the program of the first line of %j: %s', (script, interpreter) => {
  expect(interpreterOf(script)).toBe(interpreter)
})

it('converts the line ends of Windows, and no other carriage return', () => {
  expect(withUnixLineEnds('a\r\nb\rc\n')).toBe('a\nb\rc\n')
})
