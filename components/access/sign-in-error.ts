const messages: Readonly<Record<string, string>> = {
  CredentialsSignin: 'The e-mail address or the password is wrong.',
  AccessDenied: 'This account may not sign in here. Ask your admin for an invitation.',
  OAuthAccountNotLinked: 'This e-mail address uses another sign-in method. Use that method.',
  SessionRequired: 'Sign in to continue.',
}

const unknownError = 'Signing in failed. Try again.'

/** The message for an error code in the page's address. Only known codes count: a link must not put text on the page. */
export function describeErrorName(name: string): string {
  return messages[name] ?? unknownError
}

/** The message for the server's answer, which is an error code or a message. */
export function describeAnswer(error: string | null): string {
  if (error === null) return unknownError
  return messages[error] ?? (error.includes(' ') ? error : unknownError)
}
