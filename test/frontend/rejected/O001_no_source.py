from freehold import Out


text = "def kernel(y): y.store(0.0)"
names = {"Out": Out}
exec(compile(text.replace("(y)", "(y: Out['N'])"), "<generated>", "exec"), names)
kernel = names["kernel"]
