import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderUi } from '../testing/render'
import { SignInForm } from './sign-in-form'

it('focuses the first field', () => {
  renderUi(<SignInForm next={undefined} error={undefined} providers={[]} />)
  expect(document.activeElement).toBe(screen.getByLabelText('E-mail or user id'))
})
