// Starts Freehold's language server for .mlir files and for Python.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("freehold").get("server");
  const documents = [{ language: "mlir" }, { language: "python" }];
  client = new LanguageClient("freehold", "Freehold", { command }, { documentSelector: documents });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
