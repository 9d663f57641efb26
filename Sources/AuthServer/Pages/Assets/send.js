// The answer for a client that wants it posted. Where there are scripts its form goes by itself, elsewhere by its button.

document.forms[0].submit();
