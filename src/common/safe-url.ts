/** An address that secrets may travel to: https, or http on this machine; without credentials, query or fragment. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) {
    return false;
  }
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username === '' && password === '';
}
