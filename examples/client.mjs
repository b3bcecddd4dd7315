// A client of the decision service, for Node 20 and for pages of the same origin as the service.
export class Client {
  constructor(url, agent, key) {
    this.base = `${url}/v1/agents/${encodeURIComponent(agent)}`;
    this.headers = {"Content-Type": "application/json", ...(key && {Authorization: `Bearer ${key}`})};
  }

  // Calls may be repeated: decisions have a key, and a reward counts once.
  async call(path, body, attempts = 3) {
    const request = {method: "POST", headers: this.headers, body: JSON.stringify(body)};
    const response = await fetch(`${this.base}/${path}`, {...request, signal: AbortSignal.timeout(2000)}).catch(() => null);
    if (response?.ok) return response.json();
    const maybeLater = !response || [429, 503].includes(response.status);
    if (!maybeLater || attempts <= 1) throw new Error(response ? (await response.json()).detail : `${this.base} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return this.call(path, body, attempts - 1);
  }

  decide = (context, key = crypto.randomUUID()) => this.call("decide", {context, key});
  reward = (decision, rewards) => this.call(`decisions/${decision}/rewards`, rewards);
}
