// Parses charts with Mermaid's own parser. Reads a JSON array of texts from the standard input. Fails with the message for the first chart
// that the parser rejects. Run it in a folder in which `mermaid` and `jsdom` are installed.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import(pathToFileURL(require.resolve("mermaid")));

for (const chart of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const { diagramType } = await mermaid.parse(chart);
    if (!diagramType.startsWith("flowchart")) throw new Error(`a ${diagramType}`);
  } catch (error) {
    console.error(`${error.message}\n${chart}`);
    process.exit(1);
  }
}
