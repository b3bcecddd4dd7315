// The search runs in a worker, and browsers start none for pages that are opened from disk: there, a hidden frame does
// its work. The site's builder would fetch such a script from the network; it is left out where the name is this one.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.started = new Promise((resolve) => {
        this.frame.onload = () => {
          const inside = this.frame.contentWindow
          inside.postMessage = (data) => this.tell(data)
          const script = inside.document.createElement("script")
          script.src = url
          script.onload = () => resolve(inside)
          inside.document.head.append(script)
        }
      })
      document.documentElement.append(this.frame)
    }

    tell(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      this.onmessage?.(event)
    }

    postMessage(data) {
      this.started.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
