package wireproof.value;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** How an object of the library stands for a protocol value, both ways. It knows nothing of bytes. */
public interface Shape {
    /** Write the library's object as a protocol value. */
    void put(Object object, JsonGenerator out) throws IOException;

    /**
     * The library's object for a value that {@link Values} read.
     *
     * @throws wireproof.Refusal when the library's Java type cannot hold it
     */
    Object take(Object value);
}
