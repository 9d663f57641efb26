// How the page speaks with the program of the phones.
//
// The secret of the page's address stays in the fragment, which no browser sends, and goes in a header of every call. What the phones show is asked for
// again and again: each question waits until something has changed.

const [secret = "", place] = location.hash.slice(1).split(".");
const headers = { "X-Phone-Page": secret };

/** The one phone that this page shows, by its place; null for all of them. */
export const only = place === undefined ? null : Number(place);

/** Calls `take` with all phones whenever something has changed, and `lose` with whether the address is not the right one when nobody answers. */
export async function listen(take, lose) {
  let version = null;
  for (;;) {
    try {
      const answer = await fetch(version === null ? "/phones" : `/phones?after=${version}`, { headers, cache: "no-store" });
      if (answer.status === 401) return lose(true);
      if (!answer.ok) throw new Error(answer.statusText);
      const told = await answer.json();
      version = told.version;
      take(told.phones);
    } catch {
      version = null;
      lose(false);
      await new Promise((resume) => setTimeout(resume, 2000));
    }
  }
}

/** What a call answers: `ok`, `status`, and `told`, the JSON of the answer. Null when nobody answers. */
export async function call(phone, path, body) {
  const isBytes = body instanceof Blob || ArrayBuffer.isView(body);
  try {
    const answer = await fetch(`/phones/${phone}/${path}`, {
      method: "POST",
      headers: { ...headers, "Content-Type": isBytes ? "application/octet-stream" : "application/json" },
      body: isBytes ? body : JSON.stringify(body ?? {}),
    });
    return { ok: answer.ok, status: answer.status, told: await answer.json().catch(() => ({})) };
  } catch {
    return null;
  }
}

let last = Promise.resolve();

/** The same, behind all calls that were made so before: keys arrive in the order in which they were pressed. */
export function callInOrder(phone, path, body) {
  last = last.then(() => call(phone, path, body));
  return last;
}
